"""The kinds of datasets that can be read, for those who ask what there is."""

from dataclasses import dataclass
from importlib.util import find_spec


@dataclass(frozen=True)
class DatasetKind:
    name: str
    example: str
    description: str
    extra: str | None = None
    installed: bool = True


def dataset_kinds() -> list[DatasetKind]:
    return [
        DatasetKind("folder", "pets/", "pictures in one subfolder per class, or in one flat folder without labels"),
        DatasetKind(
            "csv", "labels.csv", "a table (also .tsv) with a column of file names; label, captions and any attributes beside it"
        ),
        DatasetKind("jsonl", "labels.jsonl", "the same with one JSON object per line"),
        DatasetKind("parquet", "pets.parquet", "a Parquet table of file names or of picture bytes"),
        DatasetKind(
            "parquet folder", "pets/data/", "Parquet shards of a Hugging Face dataset: data/train-00000-of-00002.parquet"
        ),
        DatasetKind(
            "webdataset", "shard-{0000..0009}.tar", "plain tars, read in place: pictures with .cls, .txt and .json beside them"
        ),
        DatasetKind("published", "imagenet:val/", "ImageNet's validation set, a folder per WordNet id"),
        DatasetKind(
            "published", "imagenet-v2:imagenetv2-matched-frequency-format-val/", "ImageNet-V2, folders numbered 0 to 999"
        ),
        DatasetKind("published", "imagenet-a:imagenet-a/", "natural adversarial examples of 200 of its classes"),
        DatasetKind("published", "imagenet-r:imagenet-r/", "renditions of 200 of its classes"),
        DatasetKind("published", "imagenet-sketch:sketch/", "sketches of its classes"),
        DatasetKind("published", "stylized-imagenet:val/", "its validation pictures in the style of paintings"),
        DatasetKind(
            "published", "objectnet:objectnet-1.0/", "ObjectNet without its borders, with its mapping to ImageNet's classes"
        ),
        DatasetKind("published", "imagenet-vid-robust:FOLDER", "frames of videos with the frames around them (pmsets.json)"),
        DatasetKind("published", "imagenet-c:FOLDER", "common corruptions of ImageNet at five severities"),
        DatasetKind("published", "imagenet-3dcc:FOLDER", "3D common corruptions of ImageNet at five severities"),
        DatasetKind("published", "corrupted:spoiled/", "pictures that `eyechart corrupt` has spoiled"),
        DatasetKind("published", "imagenet-o:imagenet-o/", "for --ood: 2,000 pictures that look like classes of ImageNet"),
        DatasetKind("published", "inaturalist:iNaturalist/", "for --ood: 10,000 plants that are no classes of ImageNet"),
        DatasetKind("published", "sun:SUN/", "for --ood: 10,000 scenes of SUN that show no classes of ImageNet"),
        DatasetKind("published", "places:Places/", "for --ood: 10,000 scenes of Places that show no classes of ImageNet"),
        DatasetKind("published", "dtd:dtd/", "for --ood: 5,640 textures in 47 kinds"),
        DatasetKind("published", "ninco:NINCO/", "for --ood: 5,879 pictures of 64 classes that ImageNet does not have"),
        DatasetKind("published", "pets:oxford-iiit-pet/", "cats and dogs of 37 breeds with the set's own lists"),
        DatasetKind("published", "flowers102:flowers-102/", "flowers of 102 kinds with the set's own lists"),
        DatasetKind("published", "sun397:SUN397/", "scenes of 397 kinds; --split testing_01 is the set's own partition"),
        DatasetKind(
            "published", "cars:stanford_cars/", "Stanford Cars with its devkit, or with a folder for each of 196 classes"
        ),
        DatasetKind("published", "aircraft:fgvc-aircraft-2013b/", "planes of 100 variants with the set's own lists"),
        DatasetKind(
            "published", "imagenet-x:val/", "ImageNet's validation pictures with the factors of the installed package imagenet-x"
        ),
        DatasetKind("published", "cue-conflict:stimuli/", "pictures with the shape of one category and the texture of another"),
        DatasetKind(
            "published", "navi:navi_v1.5/", "pairs of views with points that show the same spots, from depth and cameras"
        ),
        DatasetKind("published", "scannet-pairs:scannet_test_1500/", "the same for 1,500 pairs of ScanNet"),
        DatasetKind("published", "spair:SPair-71k/", "pairs of pictures of one category with key points in both"),
        DatasetKind("published", "coco:coco/", "COCO's instances and captions: every thing with its area, every caption"),
        DatasetKind(
            "published", "generated:drawn/", "pictures that a text-to-image model drew, with prompts.csv or .jsonl beside"
        ),
        DatasetKind(
            "karpathy", "dataset_coco.json", "Karpathy's split of Flickr30k or COCO, with its pictures beside it or in --root"
        ),
        DatasetKind("saved", "pets-saved/", "a Hugging Face dataset as save_to_disk leaves it"),
        DatasetKind(
            "hub", "hf://owner/name/test", "a dataset of the Hugging Face hub", "datasets", find_spec("datasets") is not None
        ),
    ]
